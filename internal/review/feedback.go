package review

import (
	"os"

	"github.com/belay-dev/belay/internal/fsroot"
)

// feedbackFile is the file in its checkout that a reviewer may write.
type feedbackFile struct{ root, path string }

// read returns the content, nil if there is no such file. Links do not lead out of the checkout.
func (f feedbackFile) read() []byte {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return nil
	}
	defer root.Close()
	if info, err := root.Lstat(f.path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, _ := fsroot.ReadStart(root, f.path, Most)
	return text
}

// remove deletes the file before the checkout is compared, because writing it is allowed.
func (f feedbackFile) remove() {
	if root, err := os.OpenRoot(f.root); err == nil {
		_ = root.Remove(f.path) // on failure the comparison reports it
		_ = root.Close()
	}
}
