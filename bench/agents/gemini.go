package main

import (
	"encoding/json"
	"net/http"
)

// content answers a request to generate content: /v1beta/models/NAME:generateContent.
func (m *model) content(w http.ResponseWriter, body []byte, stream bool) {
	var in struct {
		Tools    []struct{ FunctionDeclarations []json.RawMessage }
		Contents []json.RawMessage
	}
	if err := json.Unmarshal(body, &in); err != nil {
		bad(w, err)
		return
	}
	t := turn{stream: stream}
	for _, tool := range in.Tools {
		t.tools = t.tools || len(tool.FunctionDeclarations) > 1
	}
	t.follow(in.Contents, func(one json.RawMessage) (n int) {
		var c struct {
			Parts []struct{ FunctionResponse json.RawMessage }
		}
		_ = json.Unmarshal(one, &c)
		for _, p := range c.Parts {
			if len(p.FunctionResponse) > 0 {
				n++
			}
		}
		return n
	})
	a := m.next(t)
	part := map[string]any{"text": a.Text}
	if a.Tool != "" {
		part = map[string]any{"functionCall": map[string]any{"id": a.ID, "name": a.Tool, "args": a.Args}}
	}
	out := map[string]any{
		"candidates": []any{map[string]any{"index": 0, "finishReason": "STOP",
			"content": map[string]any{"role": "model", "parts": []any{part}}}},
		"usageMetadata": map[string]any{"promptTokenCount": usedEach, "candidatesTokenCount": usedEach, "totalTokenCount": 2 * usedEach},
		"modelVersion":  "scripted",
	}
	if stream {
		streaming(w).send("", out)
		return
	}
	reply(w, out)
}
