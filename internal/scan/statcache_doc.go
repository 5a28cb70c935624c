package scan

// It never opens a path of the tree, runs git or reads the index, and trusts no file
// of its own that is corrupt: a lost cache costs time and nothing else.
