"""The words of each language: one file a language, one table a kind of word; filling a table in is all it takes."""
