package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// maxImage is the size of an image, in bytes, above which it is not shown.
const maxImage = 8 << 20

// imageTypes are the image types that browsers show and that cannot contain scripts.
var imageTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// setImages sets Images if each existing side is an image, judged by its bytes, not by its name.
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

// isNullObject reports whether an object ID means a missing object.
func isNullObject(name string) bool { return strings.Trim(name, "0") == "" }

// image sends an object that is an image, judged by its bytes, not by its name.
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
	_, _ = q.w.Write(data) // fails only if the browser has disconnected
	return nil
}
