// Package scan reads all paths of a working tree in parallel, with a stat cache to skip unchanged files. It
// changes nothing.
package scan
