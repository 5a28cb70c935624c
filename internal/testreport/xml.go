package testreport

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"github.com/belay-dev/belay/internal/belay"
)

// Bounds on one piece of XML.
const (
	maxAttr = 64 << 10  // bytes kept of an attribute
	maxText = 256 << 10 // bytes kept of a text between two tags
	maxTag  = 1 << 20   // bytes of a tag
)

// maxFile is how much of one file is read, in bytes. Everything is read as a stream,
// so this bounds time, not memory.
const maxFile = 1 << 30

var (
	errDoctype = belay.Refuse(belay.CodeCannot, "have the program write XML without a document type",
		"the report declares its own document type, which belay does not read")
	errTag = errors.New("a tag is over 1 MiB")
)

// Broken is said of XML that cannot be read any further.
type Broken struct{ Why string }

// Error returns the reason.
func (b *Broken) Error() string { return b.Why }

// XML reads the elements of a document that some program wrote, with encodings told
// apart and common faults put right. It resolves no entity but XML's own five, refuses
// a document type with declarations, holds one token at a time, and does not check
// that tags match.
type XML struct {
	text    *Text
	limited *io.LimitedReader
	dec     *xml.Decoder
}

// NewXML reads at most MaxFile bytes of r.
func NewXML(r io.Reader) *XML {
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	text := NewText(limited)
	dec := xml.NewDecoder(newMender(text))
	dec.Strict = false
	return &XML{text: text, limited: limited, dec: dec}
}

// Token returns the next start tag, end tag or text, valid until the next call. At the
// end it gives io.EOF, where nothing more can be read *Broken, for declared entities a
// *belay.Error with CodeCannot; any other error is the reader's own.
func (x *XML) Token() (xml.Token, error) {
	tok, err := x.dec.RawToken()
	var bad *xml.SyntaxError
	switch {
	case err == nil || err == io.EOF:
		return tok, err
	case errors.As(err, &bad):
		return nil, &Broken{fmt.Sprintf("the report is broken at line %d: %s", bad.Line, bad.Msg)}
	case errors.Is(err, errTag):
		return nil, &Broken{"the report is broken: " + err.Error()}
	}
	return nil, err
}

// replaced reports whether bytes that are no text were replaced so far.
func (x *XML) replaced() bool { return x.text.Replaced }

// Cut reports whether there was more than MaxFile.
func (x *XML) Cut() bool { return x.limited.N <= 0 }

// Attrs returns the attributes of a tag by their names without prefix; of two with one
// name the first.
func Attrs(t xml.StartElement) map[string]string {
	attrs := make(map[string]string, len(t.Attr))
	for _, a := range t.Attr {
		if _, twice := attrs[a.Name.Local]; !twice {
			attrs[a.Name.Local] = a.Value
		}
	}
	return attrs
}
