package tasklist

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// told formats a reading: a line "ID state title | files | depends | parent" for each task, then
// the notes.
func told(r Reading) string {
	var b strings.Builder
	for _, t := range r.Tasks {
		tags := ""
		for _, tag := range []struct {
			on   bool
			name string
		}{{t.Parallel, " P"}, {t.Story != "", " " + t.Story}, {t.Optional, " *"}, {t.FilesDeclared, " declared"}} {
			if tag.on {
				tags += tag.name
			}
		}
		fmt.Fprintf(&b, "%d %s %s%s: %s | %s | %s | %s\n", t.Line, t.ID, t.State, tags, t.Title, strings.Join(t.Files, " "), strings.Join(t.Depends, " "), t.Parent)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note %d: %s\n", n.Line, n.Why)
	}
	return b.String()
}

func check(t *testing.T, dialect Dialect, text, want string) {
	t.Helper()
	r := ReadChecklist([]byte(text), dialect)
	want = strings.TrimLeft(want, "\n")
	if got := told(r); got != want {
		t.Errorf("%s\n--- got\n%s--- want\n%s", text, got, want)
	}
	whole(t, text, r)
}

// whole checks that each line belongs to a task, is structure, or has a note.
func whole(t interface{ Fatalf(string, ...any) }, text string, r Reading) {
	n := r.Lines
	if lines := len(ReadPage([]byte(text))); n.Total != lines || n.Tasks+n.Structure+n.Notes != lines || n.Notes > len(r.Notes) {
		t.Fatalf("%d lines, %+v, %d notes: %q", lines, n, len(r.Notes), text)
	}
}

func TestSpecKit(t *testing.T) {
	t.Parallel()
	check(t, SpecKit, `---
description: "tasks"
---
# Tasks: Night drinks

**Input**: documents in /specs/001-night/

## Format: `+"`[ID] [P?] [Story] Description`"+`

- **[P]**: can run beside others

<!--
- [ ] T900 a sample
-->

## Phase 1: Setup (Shared)

- [x] T001 Make the folders as in plan.md
- [ ] T002 [P] Configure the linter in .golangci.yml

## Phase 3: User Story 1 - Order (Priority: P1)

- [ ] T010 [P] [US1] Contract test for POST /orders in tests/contract/test_orders.py
- [ ] T012 [P] [US1] Create Order model in src/models/order.py
- [ ] T014 [US1] Implement OrderService in src/services/orders.py (depends on T012)
  with its errors
  - keep `+"`src/app.py`"+` as it is

**Checkpoint**: orders work

## Dependencies & Execution Order

- **Setup (Phase 1)**: No dependencies
- T001 blocks T002
- Tests (T010) before implementation (T012-T014)
- T014 needs T099

## Parallel Example

`+"```bash"+`
- [ ] T800 no task
`+"```"+`

- [ ] T012 again
`, `
18 T001 done: Make the folders as in plan.md | plan.md |  | 
19 T002 open P: Configure the linter in .golangci.yml | .golangci.yml | T001 | 
23 T010 open P US1: Contract test for POST /orders in tests/contract/test_orders.py | tests/contract/test_orders.py |  | 
24 T012 open P US1: Create Order model in src/models/order.py | src/models/order.py | T010 | 
25 T014 open US1: Implement OrderService in src/services/orders.py (depends on T012) | src/services/orders.py src/app.py | T012 T010 T099 | 
44 T012 open: again |  | T010 | 
note 1: front matter
note 2: front matter
note 3: front matter
note 6: text outside a task
note 10: an item without a box
note 12: a comment: boxes in comments are not tasks
note 13: a comment: boxes in comments are not tasks
note 14: a comment: boxes in comments are not tasks
note 29: text outside a task
note 33: an item without a box
note 34: read for the order of tasks
note 35: read for the order of tasks
note 36: read for the order of tasks
note 36: it names T099, which is not a task of this file
note 40: code: boxes in code are not tasks
note 41: code: boxes in code are not tasks
note 42: code: boxes in code are not tasks
note 44: the id T012 is already used in line 24
`)
}

func TestOpenSpec(t *testing.T) {
	t.Parallel()
	check(t, OpenSpec, `## 1. Model

- [ ] 1.1 Add the field to `+"`src/schema.ts`"+`
- [x] 1.2 Keep old files readable

## 2. Checks
- [ ] 2.1 Find cycles (after 1.1)
  - [ ] 2.1.1 in one file
  - [ ] in several
- [ ] 2.2 **Tests** for 2.1
`, `
3 1.1 open: Add the field to `+"`src/schema.ts`"+` | src/schema.ts |  | 
4 1.2 done: Keep old files readable |  |  | 
7 2.1 open: Find cycles (after 1.1) |  | 1.1 | 
8 2.1.1 open: in one file |  |  | 2.1
10 2.2 open: **Tests** for 2.1 |  |  | 
`)
}

func TestKiro(t *testing.T) {
	t.Parallel()
	check(t, Kiro, `# Implementation Plan

- [-] 1. Watch files
  - [x] 1.1 Add the backend

    - Create `+"`watch.rs`"+`

    - _Requirements: 1.1, 1.4_
  - [ ]* 1.2 Write property tests
    - **Validates: Requirements 1.1**
- [~] 2. Bridge
  - Depends on: 1
  - _Requirements: 2.3_
- [ ] 3 retries by default
`, `
3 1 doing: Watch files |  |  | 
4 1.1 done: Add the backend | watch.rs |  | 1
9 1.2 open *: Write property tests |  |  | 1
11 2 open: Bridge |  | 1 | 
14  open: 3 retries by default |  |  | 
`)
	r := ReadChecklist([]byte("- [ ] 1. a\n  - _Requirements: 1.1, 2.3_\n"), Kiro)
	if got := strings.Join(r.Tasks[0].Requirements, "|"); got != "1.1|2.3" {
		t.Error(got)
	}
}

func TestWorkitems(t *testing.T) {
	t.Parallel()
	check(t, Workitems, `# P1-F2: Push - Tasks

## Progress

- Started: 2026-01-23
- Tasks Complete: 1/3

---

## Phase 1: Queue (T01-T02)

### T01: Add from_json()
- [x] **File**: `+"`src/types.py`"+`
- [x] Handle errors
- [x] **Test**: unit test

### T02: Add the key
- [ ] Estimate: 1hr
- [x] Tests: `+"`tests/test_key.py`"+`
- [ ] Dependencies: T01
- [ ] Notes: in `+"`src/config.py`"+`

### Task 3: Delete it
**File:** `+"`a.md`, `b.md`"+`
**Dependencies:** Tasks 1, T02 (first)

**Acceptance Criteria:**
- [ ] it is gone
- [ ] nothing names it

- [x] Complete

---

## Verification Checklist

Before the end:
- [ ] all tests pass
`, `
12 T01 done declared: Add from_json() | src/types.py |  | 
17 T02 doing: Add the key | src/config.py tests/test_key.py | T01 | 
23 3 done declared: Delete it | a.md b.md | T02 | 
note 5: an item without a box
note 6: an item without a box
note 37: text outside a task
note 38: a box of a checklist, not of a task
`)
	r := ReadChecklist([]byte("### T01: a\n- [ ] File: `x.go`\n\n**Acceptance Criteria:**\n- [ ] it is\n\n- [ ] Complete\n"), Workitems)
	if got := fmt.Sprint(r.Tasks[0].BoxLines, r.Tasks[0].Acceptance, len(r.Tasks[0].Steps)); got != "[7] [it is] 3" {
		t.Error(got)
	}
}

func TestSpecKitty(t *testing.T) {
	t.Parallel()
	check(t, SpecKitty, `# Work Packages: Lanes

## Work Package WP01: Foundation (Priority: P0)

**Goal**: build it

### Included Subtasks
- [ ] T001 Create `+"`src/legacy.py`"+`
- [x] T002 [P] Add the helper

### Dependencies
- None

## Work Package WP02: Command

### Included Subtasks
- [ ] T003: Add the command (depends on T001)
`, `
8 T001 open: Create `+"`src/legacy.py`"+` | src/legacy.py |  | WP01
9 T002 done P: Add the helper |  |  | WP01
17 T003 open: Add the command (depends on T001) |  | T001 | WP02
note 5: text outside a task
note 12: an item without a box
`)
}

// TestOdd: malformed boxes are read and get a note.
func TestOdd(t *testing.T) {
	t.Parallel()
	check(t, Checklist, "* [ ] a\n+ [X] b\n- [] c\n- [ x] d\n- [~] e\n- [-] f\n- (x) g\n1. [ ] h\n-[ ] i\n- [ ]j\n[ ] k\n- [ ]\n\t- [ ] l\n- ☐ m\n"+
		"> - [ ] n\n| [ ] | o |\n\n    - [x] p\n", `
1  open: a |  |  | 
2  done: b |  |  | 
3  open: c |  |  | 
4  done: d |  |  | 
5  unclear: e |  |  | 
6  unclear: f |  |  | 
7  done: g |  |  | 
8 1 open: h |  |  | 
9  open: i |  |  | 
10  open: j |  |  | 
11  open: k |  |  | 
13  open: l |  |  | 
14  open: m |  |  | 
18  done: p |  |  | 
note 3: the box [] is read as open: it is not a plain box
note 4: the box [ x] is read as done: it is not a plain box
note 5: the box [~] means neither open nor done: the task is not treated as open
note 6: the box [-] means neither open nor done: the task is not treated as open
note 7: the box (x) is read as done: it is not a plain box
note 9: the box [ ] is read as open: no space between the bullet and it
note 10: the box [ ] is read as open: no space after it
note 11: the box [ ] is read as open: no bullet before it
note 12: a box without text
note 14: the box ☐ is read as open: it is drawn
note 15: a quotation
note 16: a table: tables are not read as tasks
`)
	check(t, Checklist, "- [ ] **T001**: bold\n- [ ] **T002: all bold**\n- [ ] **Task 1.3** - named\n- [ ] FEAT-4: signed\n- [ ] HTTP2 support\n- [ ] `T005` code\n- [ ] T006\n- [ ] S3 bucket\n- [ ] T007 [BE] [P] tags\n- [ ] (T008) round\n- [ ] [T009] square\n- [ ] T010[P] glued\n- [ ] [P] T011 before\n", `
1 T001 open: bold |  |  | 
2 T002 open: all bold |  |  | 
3 1.3 open: named |  |  | 
4 FEAT-4 open: signed |  |  | 
5  open: HTTP2 support |  |  | 
6  open: `+"`T005`"+` code |  |  | 
7 T006 open: T006 |  |  | 
8  open: S3 bucket |  |  | 
9 T007 open: [BE] [P] tags |  |  | 
10 T008 open: round |  |  | 
11 T009 open: square |  |  | 
12 T010 open P: glued |  |  | 
13 T011 open P: before |  |  | 
`)
}

// TestHeadings: a heading with an id and text below it is a task without a box.
func TestHeadings(t *testing.T) {
	t.Parallel()
	check(t, SpecKit, "## T001 [P] Set up\n\nDo it in `a.go`, after T002.\n\n### How\n- so\n\n## T002\n\n## T003: Group\n- [ ] T004 in it\n", `
1 T001 open P: Set up | a.go | T002 | 
11 T004 open: in it |  |  | T003
note 3: it names T002, which is not a task of this file
`)
}

// TestBodies: all lines of a task stay with it, of whatever kind.
func TestBodies(t *testing.T) {
	t.Parallel()
	text := "- [ ] T001 first\r\n  more of it\r\nlazily\r\n\r\n  ```go\r\n  - [ ] T9 code\r\n  ```\r\n  | a | b |\r\n  - step\r\n  - [x] checked\r\n\r\nafterwards\r\n- [ ] T002 second"
	r := ReadChecklist([]byte(text), SpecKit)
	whole(t, text, r)
	if len(r.Tasks) != 2 || r.Tasks[0].Text != "first\n  more of it\nlazily\n  ```go\n  - [ ] T9 code\n  ```\n  | a | b |\n  - step\n  - [x] checked" {
		t.Errorf("%+v", r.Tasks)
	}
	if len(r.Notes) != 1 || r.Notes[0].Text != "afterwards" || len(r.Tasks[0].Steps) != 1 || r.Tasks[1].Title != "second" {
		t.Errorf("%+v", r)
	}
}

// pieces are lines of which the property test and the fuzz test make files.
var pieces = []string{"- [ ] T001 do `a/b.go`", "- [x] 1.2 it", "  - [ ] step", "\t* [~] odd", "# Phase", "### T01: head", "## Dependencies", "- T001 after T002", "**Files**: x/y.go", "```", "~~~", "<!--", "-->", "---", "| a |", "> q", "", "words", "    deep", "1. [ ] n", "- [ ] Complete", "[ ] bare", "\xff\xfe", "- ☐ drawn", "- plain", "===", "- [ ]* 3. opt", " - [x] T001 [ ] second box", "- [ ] ~~T002~~ gone", "### Task T001 [P]", "## WP01 — group", "**Depends on**: WP01 · **Owns**: `a.go`", "  Depends on T001a–c, 依赖 1.2", "## Quality gates", "- [ ] [WP01 x](y)", "- _要件: 1.1_", "- [ ] 7b. n"}

func TestEveryLineIsSomewhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "lines")
		text := strings.Join(lines, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end"))
		r := ReadChecklist([]byte(text), rapid.SampledFrom([]Dialect{SpecKit, Kiro, Checklist}).Draw(t, "dialect"))
		whole(t, text, r)
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(strings.Join(pieces, "\n")))
	f.Add([]byte("### T01: a\n- [ ] Dependencies: T01-T99\n\n- [x] Complete\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := ReadChecklist(data, Kiro)
		whole(t, string(data), r)
		for _, task := range r.Tasks {
			if task.Title == "" || task.Line < 1 || task.Line > r.Lines.Total || !strings.HasPrefix(task.Text, task.Title) || task.Done != (task.State == Done) {
				t.Fatalf("%+v", task)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	data := []byte(strings.Repeat("## Phase\n\n- [ ] T001 [P] [US1] make it in src/a.go (depends on T002)\n  - and so on with `b.go`\n\n", 10000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		ReadChecklist(data, SpecKit)
	}
}

// TestStars: a star marks an optional task, wherever a tool or a formatter puts it.
func TestStars(t *testing.T) {
	t.Parallel()
	check(t, Kiro, "- [ ] 1. Lid\n- [ ]* 1.1 Rim\n- [ ]\\* 1.2 Knob\n- [ ] 2.3* (P) Spout\n- [ ] 2.4\\* Base\n- [ ] 3.1 *Light* handle\n", `
1 1 open: Lid |  |  | 
2 1.1 open *: Rim |  |  | 1
3 1.2 open *: Knob |  |  | 1
4 2.3 open P *: Spout |  |  | 
5 2.4 open *: Base |  |  | 
6 3.1 open: *Light* handle |  |  | 
`)
}

// TestCriteriaAndSummaries: in a file with task ids, boxes below a line that announces criteria are
// not tasks; neither are drawn ticks used as bullets in a file of bracket boxes.
func TestCriteriaAndSummaries(t *testing.T) {
	t.Parallel()
	check(t, SpecKit, `## Phase 3: Pots

**Acceptance Criteria**:
- [ ] US1-AC1: it boils
- [ ] it whistles

### Work

- [ ] T007 Make it boil

Also:
- [ ] sweep the floor

This delivers:
- ✅ boiling
`, `
9 T007 open: Make it boil |  |  | 
12  open: sweep the floor |  |  | 
note 3: text outside a task
note 4: a box of a checklist, not of a task
note 5: a box of a checklist, not of a task
note 11: text outside a task
note 14: text outside a task
note 15: an item without a box
`)
	check(t, Checklist, "- ✅ boil\n- ⬜ pour\n", `
1  done: boil |  |  | 
2  open: pour |  |  | 
note 1: the box ✅ is read as done: it is drawn
note 2: the box ⬜ is read as open: it is drawn
`)
}
