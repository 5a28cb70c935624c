package prompt

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func TestRole(t *testing.T) {
	task := belay.Task{ID: "T7", Prose: "add two flavors"}
	golden(t, "role_first", Role(RoleInput{Task: task, Role: "implementer", After: "reviewer", Round: 1, Export: "{\"role\":\"implementer\"}\n"}))
	golden(t, "role_contract", Role(RoleInput{Task: drinks, Role: "implementer", After: "reviewer", Round: 1, Export: "{}\n", Plan: marks, Now: everyFile}))
	golden(t, "role_again", Role(RoleInput{Task: task, Role: "validator", Before: "reviewer", Round: 2, ReadOnly: true, Instructions: "be brief\n", Export: "{\"a\":\"```\"}\n"}))
	golden(t, "role_back", Role(RoleInput{Task: task, Role: "validator", Before: "validator", Round: 2, ReturnReason: "three flavors, not two", Export: "{}\n"}))
	if got := Role(RoleInput{Task: task, Role: "r", Round: 1, Export: "\x1b[31m"}); strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
}
