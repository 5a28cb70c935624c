package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// maxImage is the size of an image, in bytes, above which it is not shown.
const maxImage = 8 << 20

// imageTypes are what browsers show and what can hold no script.
var imageTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// setImages fills Images where each side that is there is an image: its bytes tell, and not its name.
func (f *fileDiff) setImages(sides [2][]byte) {
	var names []string
	for i, b := range f.blobs {
		if isNullObject(b) {
			b = ""
		} else if !imageTypes[http.DetectContentType(sides[i])] {
			return
		}
		names = append(names, b)
	}
	f.Images = names
}

// isNullObject reports whether an object's name stands for there being none.
func isNullObject(name string) bool { return strings.Trim(name, "0") == "" }

// image sends an object of the repository that is an image. What it is, is told by its bytes and not by a name.
func (q *request) image() error {
	noImage := belay.Refuse(belay.CodeNotFound, "open the changes again", "this image cannot be shown")
	name := q.FormValue("blob")
	if !isObjectName(name) {
		return noImage
	}
	rd, err := q.svc.Session.Repo.Reader(q.Context())
	if err != nil {
		return err
	}
	defer func() { _ = rd.Close() }()
	data := readObject(rd, name, maxImage)
	kind := http.DetectContentType(data)
	if !imageTypes[kind] {
		return noImage
	}
	q.w.Header().Set("Content-Type", kind)
	q.w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = q.w.Write(data) // fails when the browser is gone
	return nil
}
