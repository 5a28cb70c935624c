package main

import (
	"encoding/json"
	"net/http"
)

// messages answers a request for messages: /v1/messages.
func (m *model) messages(w http.ResponseWriter, body []byte) {
	var in struct {
		Stream   bool
		Tools    []json.RawMessage
		Messages []json.RawMessage
	}
	if err := json.Unmarshal(body, &in); err != nil {
		bad(w, err)
		return
	}
	t := turn{tools: len(in.Tools) > 1, stream: in.Stream}
	t.follow(in.Messages, func(one json.RawMessage) (n int) {
		var msg struct{ Content []struct{ Type string } }
		_ = json.Unmarshal(one, &msg) // plain text has none
		for _, b := range msg.Content {
			if b.Type == "tool_result" {
				n++
			}
		}
		return n
	})
	a := m.next(t)
	block, why := map[string]any{"type": "text", "text": a.Text}, "end_turn"
	if a.Tool != "" {
		block, why = map[string]any{"type": "tool_use", "id": "toolu_" + a.ID, "name": a.Tool, "input": a.Args}, "tool_use"
	}
	msg := map[string]any{
		"id": "msg_" + a.ID, "type": "message", "role": "assistant", "model": "scripted", "content": []any{block},
		"stop_reason": why, "stop_sequence": nil, "usage": map[string]any{"input_tokens": usedEach, "output_tokens": usedEach},
	}
	if !t.stream {
		reply(w, msg)
		return
	}
	messageEvents(streaming(w), msg, block, a)
}

// messageEvents streams a message of one block.
func messageEvents(e events, msg, block map[string]any, a answer) {
	why := msg["stop_reason"]
	msg["content"], msg["stop_reason"] = []any{}, nil
	e.send("message_start", map[string]any{"type": "message_start", "message": msg})
	delta := map[string]any{"type": "text_delta", "text": a.Text}
	if a.Tool != "" {
		args, _ := json.Marshal(a.Args)
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(args)}
		block["input"] = map[string]any{}
	} else {
		block["text"] = ""
	}
	e.send("content_block_start", map[string]any{"type": "content_block_start", "index": 0, "content_block": block})
	e.send("content_block_delta", map[string]any{"type": "content_block_delta", "index": 0, "delta": delta})
	e.send("content_block_stop", map[string]any{"type": "content_block_stop", "index": 0})
	e.send("message_delta", map[string]any{
		"type": "message_delta", "delta": map[string]any{"stop_reason": why, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": usedEach},
	})
	e.send("message_stop", map[string]any{"type": "message_stop"})
}
