package install

import (
	_ "embed"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/proc"
)

// Skill tells agents how to use belay.
//
//go:embed skill.md
var Skill []byte

//go:embed opencode.js
var openCode string

// openCodePlugin is the plugin with the path of the program in it.
func openCodePlugin(program string) ([]byte, error) {
	return []byte(strings.Replace(openCode, `"belay"`, strconv.Quote(program), 1)), nil
}

// skills are the files that agents look for skills in: Claude Code in a folder of its own, the others in a common one.
func (q Request) skills() ([]string, error) {
	top := q.Project
	claude := filepath.Join(top, ".claude")
	if top == "" {
		var ok bool
		if claude, ok = homeFile("CLAUDE_CONFIG_DIR", ".claude", "")(q.Env); !ok {
			return nil, noHome()
		}
		top = proc.Variable(q.Env, "HOME")
	}
	return []string{filepath.Join(claude, "skills/belay/SKILL.md"), filepath.Join(top, ".agents/skills/belay/SKILL.md")}, nil
}
