package mcp

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/terminal"
)

// toolResult returns data as a tool's result: the bytes that --json prints as data, with secrets
// masked. Each note follows as a separate text.
func toolResult(data any, notes ...string) (*sdk.CallToolResult, error) {
	text, err := encodeJSON(data)
	if err != nil {
		return nil, err
	}
	r := &sdk.CallToolResult{StructuredContent: json.RawMessage(text), Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}
	for _, n := range notes {
		r.Content = append(r.Content, &sdk.TextContent{Text: "note: " + secret.Mask(belay.Visible(n))})
	}
	return r, nil
}

func encodeJSON(data any) ([]byte, error) {
	text, err := terminal.EncodeJSON(data)
	if err != nil {
		return nil, err
	}
	return maskJSON(bytes.TrimSuffix(text, []byte("\n"))), nil
}

// maskJSON masks secrets in the strings of a JSON text and changes no other byte.
func maskJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		at := bytes.IndexByte(text, '"')
		if at < 0 {
			break
		}
		out, text = append(out, text[:at]...), text[at:]
		end := 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(text))
		out = append(out, maskString(text[:end])...)
		text = text[end:]
	}
	return append(out, text...)
}

func maskString(quoted []byte) []byte {
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return quoted
	}
	if m := secret.Mask(s); m != s {
		if text, err := json.Marshal(m); err == nil {
			return text
		}
	}
	return quoted
}

// errorResult returns an error as a tool's result: what happened, and what to try. The model reads
// it.
func errorResult(err error) *sdk.CallToolResult {
	p := terminal.NewProblem(err)
	text := belay.Visible(p.What)
	if p.Try != "" {
		text += "\ntry: " + belay.Visible(p.Try)
	}
	r := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: secret.Mask(text)}}}
	r.SetError(err)
	r.Meta = sdk.Meta{"belay/code": p.Code}
	return r
}

// resourceError returns the error of reading a resource.
func resourceError(uri string, err error) error {
	if code := belay.CodeOf(err); code == belay.CodeNotFound || code == belay.CodeUsage {
		return sdk.ResourceNotFoundError(uri)
	}
	return protocolError(err)
}

// protocolError returns an error in the protocol's form, for requests other than tool calls.
func protocolError(err error) error {
	p := terminal.NewProblem(err)
	text := belay.Visible(p.What)
	if p.Try != "" {
		text += "; try: " + belay.Visible(p.Try)
	}
	code := int64(jsonrpc.CodeInternalError)
	if of := belay.CodeOf(err); of == belay.CodeNotFound || of == belay.CodeUsage {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: secret.Mask(text)}
}
