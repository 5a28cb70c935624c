// Package statcache keeps what the last scan of a working tree knew: of each path its
// facts, the name of its bytes, and whether it was tracked or ignored. It also has the
// clock that tells which facts are old enough to be trusted.
//
// It never opens a path of the tree, runs git or reads the index, and trusts no file
// of its own that is corrupt: a lost cache costs time and nothing else.
package statcache
