package web

import (
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// imageMost is the size of an image, in bytes, above which it is not shown.
const imageMost = 8 << 20

// imageTypes are what browsers show and what can hold no script.
var imageTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

var imageNames = map[string]bool{".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true}

// Images are the objects of a binary file's two sides that a browser may show, "" for a side without one.
func (f *fileDiff) Images() (sides []string) {
	if !f.Binary || !imageNames[strings.ToLower(path.Ext(f.Path))] {
		return nil
	}
	for _, b := range f.blobs {
		if strings.Trim(b, "0") == "" {
			b = ""
		}
		sides = append(sides, b)
	}
	return sides
}

// image sends an object of the repository that is an image. What it is, is told by its bytes and not by a name.
func (q *request) image() error {
	none := belay.Refuse(belay.CodeNotFound, "open the changes again", "this is no image that can be shown")
	name := q.FormValue("blob")
	if !hexadecimal(name) {
		return none
	}
	rd, err := q.desk.Repo.Reader(q.Context())
	if err != nil {
		return err
	}
	defer func() { _ = rd.Close() }()
	data := read(rd, name, imageMost)
	kind := http.DetectContentType(data)
	if !imageTypes[kind] {
		return none
	}
	q.w.Header().Set("Content-Type", kind)
	q.w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = q.w.Write(data) // fails when the browser is gone
	return nil
}
