package review

import (
	"os"

	"github.com/belay-dev/belay/internal/fsroot"
)

// feedbackFile is the file of its checkout into which a reviewer may write.
type feedbackFile struct{ root, path string }

// read returns what it wrote, nothing when it did not. No link is followed out of the
// checkout.
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

// remove takes the file away before the checkout is compared: writing it is allowed.
func (f feedbackFile) remove() {
	if root, err := os.OpenRoot(f.root); err == nil {
		_ = root.Remove(f.path) // what stays is found by the comparison
		_ = root.Close()
	}
}
