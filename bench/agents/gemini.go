package main

import (
	"encoding/json"
	"net/http"
)

// content answers a request to generate content: /v1beta/models/NAME:generateContent.
func (m *model) content(w http.ResponseWriter, body []byte, stream bool) {
	var in struct {
		Tools    []struct{ FunctionDeclarations []json.RawMessage }
		Contents []struct {
			Parts []struct{ FunctionResponse json.RawMessage }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		bad(w, err)
		return
	}
	t := turn{attempt: attempt(body), stream: stream}
	for _, tool := range in.Tools {
		t.tools = t.tools || len(tool.FunctionDeclarations) > 1
	}
	for _, c := range in.Contents {
		for _, p := range c.Parts {
			if len(p.FunctionResponse) > 0 {
				t.results++
			}
		}
	}
	a := m.next(t)
	part := map[string]any{"text": a.Text}
	if a.Tool != "" {
		part = map[string]any{"functionCall": map[string]any{"id": a.ID, "name": a.Tool, "args": a.Args}}
	}
	out := map[string]any{
		"candidates": []any{map[string]any{"index": 0, "finishReason": "STOP",
			"content": map[string]any{"role": "model", "parts": []any{part}}}},
		"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
		"modelVersion":  "scripted",
	}
	if stream {
		streaming(w).send("", out)
		return
	}
	reply(w, out)
}
