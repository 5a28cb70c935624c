// Package atomicfile replaces files of belay's own so that a reader sees the old one or the new one, whatever
// is killed when.
package atomicfile
