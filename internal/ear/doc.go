// Package ear hears what changes below a folder, from the kernel, and says which paths
// have to be looked at. It knows when it may have missed something, and what changes
// without a sound: files open for writing, mounts.
//
// It reads no file of the tree, decides nothing about what a change means, and writes
// nothing but its cookies, in a folder that it is given.
package ear
