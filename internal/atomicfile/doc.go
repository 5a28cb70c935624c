// Package atomicfile replaces belay's own files atomically: a reader sees the old content or the new, even
// after a crash. It never writes the user's files.
package atomicfile
