"""What all rooms use: checks of arguments, words, tables, pictures, and names of measures."""
