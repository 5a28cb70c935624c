package fsroot

import "encoding/hex"

// PathKind is the type of a path.
type PathKind uint8

// The kinds. Only File, Exec and SymbolicLink are ever captured.
const (
	File         PathKind = iota + 1 // a regular file
	Exec                             // a regular file that its owner may execute
	SymbolicLink                     // a symbolic link
	Folder                           // a folder
	Other                            // a FIFO, a socket, a device
)

// OID is git's object name of a blob: the raw 20 (SHA-1) or 32 (SHA-256) bytes of hash("blob
// <size>\x00" + bytes).
type OID string

// String returns the name in hexadecimal, as git prints it.
func (o OID) String() string { return hex.EncodeToString([]byte(o)) }
