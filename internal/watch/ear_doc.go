package watch

// It reads no file of the tree, decides nothing about what a change means, and writes
// nothing but its cookies, in a folder that it is given.
