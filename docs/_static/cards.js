// Each cell of a table names its column, which the cards of small screens show.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll(".bd-article table.table")) {
    const columns = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent.trim());
    for (const row of table.querySelectorAll("tbody tr")) {
      [...row.cells].slice(1).forEach((cell, place) => {
        const column = columns[place + 1];
        if (column) cell.dataset.column = column;
      });
    }
  }
});
