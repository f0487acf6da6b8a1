"""One machine for every interval: what an estimate is, and by how much each unit moves it."""
