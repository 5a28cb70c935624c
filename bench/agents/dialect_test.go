package main

import (
	"encoding/json"
	"testing"
)

// TestDialects checks the tool and arguments of each kind of step for each agent, as its real tools
// have them.
func TestDialects(t *testing.T) {
	t.Parallel()
	steps := []Step{{Read: "a.js"}, {Read: "a.js", From: 51, To: 100}, {Edit: "a.js", Old: "1", New: "2"}, {Run: "npm test"}}
	for _, c := range []struct {
		name  string
		speak dialect
		want  [4]string
	}{
		{"claude", claudeNames.speak, [4]string{
			`Read {"file_path":"/shop/a.js"}`,
			`Read {"file_path":"/shop/a.js","limit":50,"offset":51}`,
			`Edit {"file_path":"/shop/a.js","new_string":"2","old_string":"1"}`,
			`Bash {"command":"npm test","description":"Run a command"}`,
		}},
		{"codex", speakCodex, [4]string{
			`exec_command {"cmd":"cat a.js","yield_time_ms":10000}`,
			`exec_command {"cmd":"sed -n '51,100p' a.js","yield_time_ms":10000}`,
			"apply_patch *** Begin Patch\n*** Update File: a.js\n@@\n-  1\n+  2\n*** End Patch\n",
			`exec_command {"cmd":"npm test","yield_time_ms":10000}`,
		}},
		{"gemini", speakGemini, [4]string{
			`read_file {"file_path":"a.js"}`,
			`read_file {"end_line":100,"file_path":"a.js","start_line":51}`,
			`replace {"file_path":"a.js","instruction":"Fix the price","new_string":"2","old_string":"1"}`,
			`run_shell_command {"command":"npm test","description":"Run a command"}`,
		}},
		{"opencode", openCodeNames.speak, [4]string{
			`read {"filePath":"/shop/a.js"}`,
			`read {"filePath":"/shop/a.js","limit":50,"offset":51}`,
			`edit {"filePath":"/shop/a.js","newString":"2","oldString":"1"}`,
			`bash {"command":"npm test","description":"Run a command"}`,
		}},
		{"qwen", qwenNames.speak, [4]string{
			`read_file {"file_path":"/shop/a.js"}`,
			`read_file {"file_path":"/shop/a.js","limit":50,"offset":50}`,
			`edit {"file_path":"/shop/a.js","new_string":"2","old_string":"1"}`,
			`run_shell_command {"command":"npm test","description":"Run a command","is_background":false}`,
		}},
		{"pi", speakPi, [4]string{
			`read {"path":"a.js"}`,
			`read {"limit":50,"offset":51,"path":"a.js"}`,
			`edit {"edits":[{"newText":"2","oldText":"1"}],"path":"a.js"}`,
			`bash {"command":"npm test"}`,
		}},
	} {
		for i, s := range steps {
			a := c.speak("/shop", s)
			got := a.Tool + " " + a.Free
			if a.Free == "" {
				args, err := json.Marshal(a.Args)
				if err != nil {
					t.Fatal(err)
				}
				got += string(args)
			}
			if got != c.want[i] {
				t.Errorf("%s got %s\nwant %s", c.name, got, c.want[i])
			}
		}
	}
}
