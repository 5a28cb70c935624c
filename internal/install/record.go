package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/belay-dev/belay/internal/fsroot"
)

// installRecord records in belay's state folder what belay wrote into a file, so that removal
// restores the exact bytes. It contains none of the file's text.
type installRecord struct {
	Path           string   `json:"path"`
	Original       string   `json:"original"`       // SHA-256 of the file without belay's entries
	Result         string   `json:"result"`         // SHA-256 of the file with them
	AddedSpans     []span   `json:"added"`          // the inserted bytes
	Created        bool     `json:"created"`        // belay created the file
	Folders        []string `json:"folders"`        // created for the file, the outermost first
	KeptContainers []string `json:"kept"`           // containers for hooks that existed before
	Keys           []string `json:"keys,omitempty"` // of the hooks that Codex was told to trust
}

// originalText returns the text before belay wrote into the file. ok is false if the file was
// changed since.
func (r *installRecord) originalText(text []byte) (before []byte, ok bool) {
	if r == nil || digest(text) != r.Result {
		return nil, false
	}
	for _, s := range r.AddedSpans {
		if s.From < 0 || s.To < s.From || s.To > len(text) {
			return nil, false
		}
	}
	before = cutSpans(text, r.AddedSpans)
	return before, digest(before) == r.Original
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// recordFolder is the folder of the records; "" records nothing.
type recordFolder string

func (s recordFolder) path(of string) string {
	return filepath.Join(string(s), digest([]byte(of))[:32]+".json")
}

// read returns a file's record, or nil if there is no usable one.
func (s recordFolder) read(of string) *installRecord {
	if s == "" {
		return nil
	}
	text, err := fsroot.ReadUserFile(s.path(of), maxFile)
	var r installRecord
	if err != nil || json.Unmarshal(text, &r) != nil || r.Path != of {
		return nil
	}
	return &r
}

func (s recordFolder) write(r *installRecord) error {
	if s == "" {
		return nil
	}
	text, err := json.Marshal(r)
	if err == nil {
		err = fsroot.MkdirAll(string(s), 0o700)
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	_ = json.Indent(&b, text, "", "  ")
	return fsroot.AtomicWrite(s.path(r.Path), fsroot.AtomicOptions{Synced: true}, b.Bytes(), []byte("\n"))
}

func (s recordFolder) remove(of string) error {
	if s == "" {
		return nil
	}
	if err := fsroot.Remove(s.path(of)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
