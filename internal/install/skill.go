package install

import (
	_ "embed"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/proc"
)

// Skill explains to agents how to use belay.
//
//go:embed skill.md
var Skill []byte

//go:embed opencode.js
var openCode string

// openCodePlugin returns the plugin with the program's path.
func openCodePlugin(program string) ([]byte, error) {
	return []byte(strings.Replace(openCode, `"belay"`, strconv.Quote(program), 1)), nil
}

// skills returns the files where agents look for skills: one folder for Claude Code, one for all
// others.
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
