package tasklist

import (
	"fmt"
	"strings"
	"testing"
)

// TestFound: lists that people wrote without keeping to their tool's format.
func TestFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		dialect Dialect
		text    string
		want    string
	}{
		{"a box and a heading with details are one task", SpecKit, `## Checklist
- [x] T001 [US1][US2] Bake the crust
- [ ] T002 [US1] Fill it
- [x] Buy a bowl

## Oven

### Task T001 [US1][US2]
**Files**: ` + "`pie/crust.go`" + `

### Task T002 — Fill
**File**: ` + "`pie/fill.go`" + `
Do it after T001.
`, `
2 T001 done US1, US2 declared: Bake the crust | pie/crust.go |  | 
3 T002 open US1 declared: Fill it | pie/fill.go | T001 | 
4  done: Buy a bowl |  |  | 
`},
		{"a link to a package and its section are one task", SpecKitty, `## Index
- [ ] [WP02 Kitchen light](tasks/WP02-light.md)

## WP02: Kitchen light

- **Requirement Refs**: FR-1
- Deliverable: a lamp

## Done Criteria
- [ ] It shines
- [ ] WP01 stays as it is
`, `
2 WP02 open: Kitchen light |  |  | 
note 10: a box of a checklist, not of a task
note 11: a box of a checklist, not of a task
`},
		{"a checklist has sections of its own", SpecKit, `# Validation of pies
- [ ] T001 Bake
- [ ] Eat
## Quality gates
### Taste
- [ ] it is sweet
### Looks
- [ ] it is round
## Work
- [ ] T002 Wash up
`, `
2 T001 open: Bake |  |  | 
3  open: Eat |  |  | 
10 T002 open: Wash up |  |  | 
note 6: a box of a checklist, not of a task
note 8: a box of a checklist, not of a task
`},
		{"a second box is an empty tag, and one blank no level", SpecKit, " - [X] T006 [ ] Sweep\n- [X] T007 [X] Mop\n - [ ] T008 [P] Dry\n  - with a cloth\n- [ ] 1. Group\n - [ ] 1.1 Part\n", `
1 T006 done: Sweep |  |  | 
2 T007 done: Mop |  |  | 
3 T008 open P: Dry |  |  | 
5 1 open: Group |  |  | 
6 1.1 open: Part |  |  | 1
`},
		{"what is struck through is not open", SpecKit, "- [x] ~~T001 Buy a horse~~ sold\n- [ ] ~~T002 [P] Feed it~~ → **REPLACED by T009 (car)**\n- [ ] ~~T003~~ none, T004 does it\n- [ ] T004 Fuel `a~~b`\n- [~] T005-T007 dropped\n", `
1 T001 done: Buy a horse sold |  |  | 
2 T002 unclear P: Feed it → **REPLACED by T009 (car)** |  |  | 
3 T003 unclear: none, T004 does it |  |  | 
4 T004 open: Fuel ` + "`a~~b`" + ` |  |  | 
5 T005-T007 unclear: dropped |  |  | 
note 2: it is struck through: the task is not treated as open
note 3: it is struck through: the task is not treated as open
note 5: the box [~] means neither open nor done: the task is not treated as open
`},
		{"numbers with a letter", Kiro, "- [x] 7. Sow\n  - [x] 7.1 Dig\n- [ ] 7b. Water\n  - [ ] 7b.1 Fetch the can\n- [ ] 2.1a Weed\n", `
1 7 done: Sow |  |  | 
2 7.1 done: Dig |  |  | 7
3 7b open: Water |  |  | 
4 7b.1 open: Fetch the can |  |  | 7b
5 2.1a open: Weed |  |  | 
`},
		{"an order that goes on in the next line", SpecKit, "- [ ] **T001a** Cut\n- [ ] **T001b** Glue\n- [ ] **T001d** Nail\n- [ ] T002 Paint it all in one go. Depends on\n  T001a–c.\n- [ ] T003 [US1–US3] Dry. Depends on T001a, and on\n\n  T002.\n", `
1 T001a open: Cut |  |  | 
2 T001b open: Glue |  |  | 
3 T001d open: Nail |  |  | 
4 T002 open: Paint it all in one go. Depends on |  | T001a T001b | 
6 T003 open US1–US3: Dry. Depends on T001a, and on |  | T001a | 
`},
		{"fields side by side", SpecKitty, `### WP01 — Roof
- **Priority**: P1 · **Prompt**: [tasks/WP01-roof.md](./tasks/WP01-roof.md) · **Depends on**: none
- **Requirements**: FR-1, FR-2; C-3 · **Depends on**: WP03
- **Dependencies**: none · **Owns**: ` + "`src/roof.py`, `tests/roof.py`" + `

### WP03 — Walls
- **Goal**: four of them | two doors
`, `
1 WP01 open declared: Roof | src/roof.py tests/roof.py | WP03 | 
6 WP03 open: Walls |  |  | 
`},
		{"the order of work packages is that of their tasks", SpecKitty, `## WP01 — Ground
- [x] T001 Dig
- [x] T002 Pour
## WP02 — House
**Depends on**: WP01, WP09
- [ ] T003 Build
## WP03 — Garden
### Dependencies
- WP02
### Subtasks
- [ ] T004 Plant (after T001)
`, `
2 T001 done: Dig |  |  | WP01
3 T002 done: Pour |  |  | WP01
6 T003 open: Build |  | T001 T002 | WP02
11 T004 open: Plant (after T001) |  | T001 T003 | WP03
note 5: read for the order of tasks
note 9: read for the order of tasks
`},
		{"headings without words", SpecKit, "### Task T001 [P]\n- **Descripción**: Crear la casa en `src/casa/`\n- **Archivos afectados**:\n  - `src/casa/a.go`\n- **Dependencias**: T002\n\n### Task T002\n- **Status**: done\n", `
1 T001 open P declared: Crear la casa en ` + "`src/casa/`" + ` | src/casa/a.go | T002 | 
7 T002 done: T002 |  |  | 
`},
		{"headings that say they are done", SpecKit, "## T001: Sow\n- **Status**: [x] fertig\n## T002 [P]: Reap ✅\nwith `a.go`\n## T003: Eat\n- Status: [ ] later\n", `
1 T001 done: Sow |  |  | 
3 T002 done P: Reap | a.go |  | 
5 T003 open: Eat |  |  | 
note 3: the box ✅ is read as done: it is drawn
`},
		{"a heading about several tasks", SpecKit, "- [ ] T001 Sow\n- [ ] T002 Reap\n## How\n### T001-T002: by hand\nas ever\n", `
1 T001 open: Sow |  |  | 
2 T002 open: Reap |  |  | 
note 5: text outside a task
`},
		{"optional tests below a task are not what it is made of", Kiro, "- [ ] 1. Bake a pie\n  - in `pie.go`\n- [ ]* 1.1 Taste it\n- [ ] 2. Wash up\n  - all of it\n  - [ ]* 2.1 Dry\n  - [ ] 2.2 Put away\n- [ ] 3. Tests\n  - [ ]* 3.1 (P) Weigh it\n- [ ] 4. (optional) Rest\n", `
1 1 open: Bake a pie | pie.go |  | 
3 1.1 open *: Taste it |  | 1 | 1
4 2 open: Wash up |  |  | 
6 2.1 open *: Dry |  |  | 2
7 2.2 open: Put away |  |  | 2
8 3 open: Tests |  |  | 
9 3.1 open P *: Weigh it |  |  | 3
10 4 open *: Rest |  |  | 
`},
		{"a legend is no list of tasks", SpecKit, "# Registry\n## Status legend\n- [x] done\n- [ ] to do\n\n### T001: Sow\n- **Status**: [x] fertig\n", `
6 T001 done: Sow |  |  | 
note 3: a box of a checklist, not of a task
note 4: a box of a checklist, not of a task
`},
		{"other languages", Kiro, "- [ ] 1. 家を建てる\n  - _要件: 1.1, 2.3_\n- [ ] 2. 屋根\n  - _依存: 1_\n- [ ] 3. 写文件 roof.go，再测试\n  - **验证：需求 2.2**\n  - 文件：`a/b.go`\n- [ ] 4. 벽 (1, task 2에 의존)\n- [ ] 5. 門 (task 1に依存)\n", `
1 1 open: 家を建てる |  |  | 
3 2 open: 屋根 |  | 1 | 
5 3 open declared: 写文件 roof.go，再测试 | a/b.go |  | 
8 4 open: 벽 (1, task 2에 의존) |  | 2 | 
9 5 open: 門 (task 1に依存) |  | 1 | 
`},
		{"tags at the end", Kiro, "- [ ] 1. Sow [P]\n- [ ] 2. 刈る (並行可)\n- [ ] 3. (P) in the midst (P) of\n", "1 1 open P: Sow |  |  | \n2 2 open P: 刈る |  |  | \n3 3 open P: in the midst (P) of |  |  | \n"},
		{"a name and its path are one file", SpecKit, "- [ ] T001 Write pot.py in src/kitchen/pot.py, lid.py and index.ts\n", "1 T001 open: Write pot.py in src/kitchen/pot.py, lid.py and index.ts | src/kitchen/pot.py lid.py index.ts |  | \n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check(t, c.dialect, c.text, c.want)
		})
	}
}

// TestRequirements: the forms in which lists name requirements.
func TestRequirements(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"_Requirements: 1.1, 2.3_":                      "1.1|2.3",
		"**Validates: Requirements 4.3**":               "4.3",
		"_要件: 1.1, 1.2_":                                "1.1|1.2",
		"**验证：需求 9.4, 9.5**":                            "9.4|9.5",
		"**验证需求: 10.1**":                                "10.1",
		"- **Requirements**: FR-1; C-2 · **Est.**: 3 h": "FR-1|C-2",
		"验证: 运行测试":                                      "",
		"Requirements are met":                          "",
	} {
		r := ReadChecklist([]byte("- [ ] 1. it\n  - "+strings.TrimPrefix(line, "- ")+"\n"), Kiro)
		if got := strings.Join(r.Tasks[0].Requirements, "|"); got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// TestBesides: a task with its own text and only optional subtasks is a task, not a group.
func TestBesides(t *testing.T) {
	t.Parallel()
	r := ReadChecklist([]byte("- [ ] 1. Bake\n  - a pie\n- [ ]* 1.1 Taste\n- [ ] 2. Tests\n  - [ ]* 2.1 Weigh\n"), Kiro)
	var got []int
	for _, task := range r.Tasks {
		got = append(got, task.Parts, task.PartOf)
	}
	if fmt.Sprint(got) != "[0 0 0 0 1 0 0 4]" {
		t.Error(got)
	}
}

// TestTwinMarks: the boxes below a heading are steps if a list has a box for its task.
func TestTwinMarks(t *testing.T) {
	t.Parallel()
	r := ReadChecklist([]byte("- [ ] T01 Bake\n\n### T01: Bake\n- [x] flour\n- [ ] sugar\n\n### T02: Eat\n- [ ] a\n\n## Gate\n- [ ] T02 eaten\n- [ ] T01 baked\n"), Workitems)
	var got strings.Builder
	for _, task := range r.Tasks {
		fmt.Fprintln(&got, task.ID, task.BoxLines, len(task.Steps), task.State)
	}
	if got.String() != "T01 [1] 2 open\nT02 [8] 1 open\n" || r.Lines.Notes != 2 {
		t.Errorf("%s%+v", got.String(), r.Notes)
	}
}
