package scan

import (
	"crypto/sha256"

	"github.com/belay-dev/belay/internal/fsroot"
)

// RuleID identifies the rules that apply in a folder.
type RuleID [16]byte

// FirstRules returns the id of the rules without any .gitignore; key identifies those outside the
// tree.
func FirstRules(key string) RuleID {
	sum := sha256.Sum256([]byte(key))
	return RuleID(sum[:16])
}

// Next returns the id of the rules of a folder with a .gitignore of these bytes. The path is part
// of it, because rules are relative to the folder of their file.
func (id RuleID) Next(path string, oid fsroot.OID) RuleID {
	h := sha256.New()
	h.Write(id[:])
	h.Write([]byte(path))
	h.Write([]byte{0})
	h.Write([]byte(oid))
	return RuleID(h.Sum(nil)[:16])
}
