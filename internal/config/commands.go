package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/belay-dev/belay/internal/belay"
)

// Commands lists everything in the file that runs a program, one line a key, with each
// argument quoted so that nothing in it hides; and the variables those programs get.
// hash is the SHA-256 of the block in hex. Both are empty when the file runs nothing.
// Flags do not change them: who gives a flag has chosen it.
func Commands(c Config) (block []byte, hash string) {
	if len(c.block) == 0 {
		return nil, ""
	}
	sum := sha256.Sum256(c.block)
	return bytes.Clone(c.block), hex.EncodeToString(sum[:])
}

func commandBlock(c Config) []byte {
	var b bytes.Buffer
	for _, k := range c.all() {
		if !k.runs {
			continue
		}
		switch v := k.field(&c).(type) {
		case *[]string:
			writeArgs(&b, k.name, *v)
		case *string: // where work is sent is as much a matter of trust as what runs
			if *v != "" {
				writeArgs(&b, k.name, []string{*v})
			}
		case *belay.TestCommand:
			if v.Command != "" {
				fmt.Fprintf(&b, "%s: shell %s\n", k.name, strconv.QuoteToASCII(v.Command))
			}
			writeArgs(&b, k.name, v.Args)
		}
	}
	if b.Len() > 0 {
		writeArgs(&b, "environment.pass", c.Environment.Pass)
	}
	return b.Bytes()
}

func writeArgs(b *bytes.Buffer, name string, args []string) {
	if len(args) == 0 {
		return
	}
	b.WriteString(name + ":")
	for _, a := range args {
		b.WriteString(" " + strconv.QuoteToASCII(a))
	}
	b.WriteByte('\n')
}
