package watch

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"

	"github.com/belay-dev/belay/internal/fsroot"
)

// The protocol, version 1 (docs/formats.md): the watch sends a greeting, the client sends one line
// with a request, and the watch answers with one line. After the answer to "changes" three binary
// parts follow.
const protocol = 1

const (
	maxLine = 1 << 20
	maxPart = 1 << 30
)

type greeting struct {
	V   int `json:"v"`
	PID int `json:"pid"`
}

type request struct {
	V       int      `json:"v"`
	Ask     string   `json:"ask"` // changes, status, doubt or stop
	Base    string   `json:"base,omitempty"`
	Include []string `json:"include,omitempty"`
	MaxFile int64    `json:"max_file,omitempty"`
}

type reply struct {
	V      int     `json:"v"`
	Sure   bool    `json:"sure"`
	Why    string  `json:"why,omitempty"` // why Sure is false
	Tree   string  `json:"tree,omitempty"`
	Count  int     `json:"count,omitempty"`
	Index  string  `json:"index,omitempty"`
	Rules  string  `json:"rules,omitempty"`
	Parts  [3]int  `json:"parts"` // sizes in bytes of the manifest, the changed blobs and the trees
	Status *Status `json:"status,omitempty"`
}

func writeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

func readLine(r *bufio.Reader, v any) error {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			return json.Unmarshal(line, v)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if len(line) > maxLine {
			return errors.New("a line of the watch is too long")
		}
	}
}

// encode returns the answer's line and its three parts.
func encode(s *snapshot.WatchAnswer) (reply, []byte) {
	man := s.Manifest.Encode()
	var changed, trees bytes.Buffer
	for oid, src := range s.Blobs {
		fmt.Fprintf(&changed, "%s %t %d %s\x00", oid, src.IsLink, src.Size, src.Path)
	}
	for _, t := range s.Trees {
		fmt.Fprintf(&trees, "%d\n", len(t.Data))
		trees.Write(t.Data)
	}
	r := reply{V: protocol, Sure: true, Tree: s.Tree, Count: s.Count, Index: s.IndexKey, Rules: s.RulesKey,
		Parts: [3]int{len(man), changed.Len(), trees.Len()}}
	return r, append(append(man, changed.Bytes()...), trees.Bytes()...)
}

// decode reads what encode produced. It computes the names of the new trees itself.
func decode(r reply, in io.Reader, repo *git.Repo) (*snapshot.WatchAnswer, error) {
	var parts [3][]byte
	for i, n := range r.Parts {
		if n < 0 || n > maxPart {
			return nil, fmt.Errorf("part %d of an answer has %d bytes", i, n)
		}
		var b bytes.Buffer
		if got, err := io.CopyN(&b, in, int64(n)); err != nil {
			return nil, fmt.Errorf("part %d of an answer ends after %d bytes: %w", i, got, err)
		}
		parts[i] = b.Bytes()
	}
	man, err := snapshot.Decode(parts[0])
	if err != nil {
		return nil, err
	}
	if !isName(r.Tree, repo) || r.Count < 0 {
		return nil, errors.New("an answer without a tree")
	}
	s := &snapshot.WatchAnswer{Tree: r.Tree, Count: r.Count, Manifest: man, IndexKey: r.Index, RulesKey: r.Rules,
		Blobs: map[string]*snapshot.BlobSource{}}
	if err := changedOf(s, parts[1], repo); err != nil {
		return nil, err
	}
	return s, treesOf(s, parts[2], repo)
}

func isName(oid string, repo *git.Repo) bool {
	raw, err := hex.DecodeString(oid)
	return err == nil && len(raw) == repo.HashSize() && oid == fsroot.OID(raw).String()
}

func changedOf(s *snapshot.WatchAnswer, data []byte, repo *git.Repo) error {
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte{0})
		f := bytes.SplitN(line, []byte{' '}, 4)
		if !whole || len(f) != 4 || len(f[3]) == 0 {
			return fmt.Errorf("an answer has an invalid change: %s", belay.VisibleLine(string(line)))
		}
		size, err := strconv.ParseInt(string(f[2]), 10, 64)
		link := string(f[1]) == "true"
		if err != nil || size < 0 || !isName(string(f[0]), repo) || !link && string(f[1]) != "false" {
			return fmt.Errorf("an answer has an invalid change: %s", belay.VisibleLine(string(line)))
		}
		s.Blobs[string(f[0])] = &snapshot.BlobSource{Path: string(f[3]), IsLink: link, Size: size}
		data = rest
	}
	return nil
}

func treesOf(s *snapshot.WatchAnswer, data []byte, repo *git.Repo) error {
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		n, err := strconv.Atoi(string(line))
		if err != nil || n < 0 || n > len(rest) {
			return errors.New("an answer has a truncated tree")
		}
		tree := rest[:n:n]
		s.Trees = append(s.Trees, git.NewObject{OID: repo.HashObject("tree", tree), Type: "tree", Data: tree})
		data = rest[n:]
	}
	return nil
}
