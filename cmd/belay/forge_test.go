package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// loggedInGH is a gh that is logged in if $FORGE_DIR is set, with a simulated GitHub: one
// repository, o/r, with the branches of the repository remote.git beside that folder. Files of the
// folder set the result of its checks ("fails": the commit for which they fail, or "..." for all),
// and the comments on its pull request.
func loggedInGH() int {
	args, dir := os.Args[1:], os.Getenv("FORGE_DIR")
	if dir == "" {
		return 1
	}
	if args[0] == "auth" {
		return 0
	}
	path, method := args[len(args)-1], args[slices.Index(args, "--method")+1]
	status, answer := ghAnswers(dir, method, path)
	text, _ := json.Marshal(answer)
	fmt.Printf("HTTP/2.0 %d X\r\nContent-Type: application/json\r\n\r\n%s", status, text)
	if status >= 400 {
		return 1
	}
	return 0
}

func ghAnswers(dir, method, path string) (int, any) {
	type object = map[string]any
	pull := filepath.Join(dir, "pull")
	if os.Getenv("FORGE_FAIL") != "" {
		return 401, object{"message": "Bad credentials"}
	}
	branch, ofBranch := strings.CutPrefix(path, "repos/o/r/branches/")
	switch {
	case path == "repos/o/r":
		return 200, object{"default_branch": "main"}
	case ofBranch:
		out, err := exec.Command("git", "--git-dir", filepath.Join(dir, "../remote.git"), "rev-parse", "--verify", "-q", branch).Output()
		if err != nil {
			return 404, object{"message": "Branch not found"}
		}
		return 200, object{"commit": object{"sha": strings.TrimSpace(string(out))}}
	case strings.HasPrefix(path, "repos/o/r/pulls?"):
		text, err := os.ReadFile(pull)
		if err != nil {
			return 200, []any{}
		}
		return 200, []any{json.RawMessage(text)}
	case path == "repos/o/r/pulls" && method == "POST":
		made := object{}
		text, _ := io.ReadAll(os.Stdin)
		_ = json.Unmarshal(text, &made)
		made["number"], made["state"], made["html_url"] = 1, "open", "https://github.com/o/r/pull/1"
		made["head"], made["base"] = object{"ref": made["head"]}, object{"ref": made["base"]}
		text, _ = json.Marshal(made)
		if err := os.WriteFile(pull, text, 0o644); err != nil {
			return 500, object{"message": err.Error()}
		}
		return 201, made
	case path == "repos/o/r/pulls/1" && method == "PATCH":
		made := object{}
		text, err := os.ReadFile(pull)
		if err == nil {
			err = json.Unmarshal(text, &made)
		}
		if err == nil {
			err = json.NewDecoder(os.Stdin).Decode(&made)
		}
		text, _ = json.Marshal(made)
		if err = errors.Join(err, os.WriteFile(pull, text, 0o644)); err != nil {
			return 500, object{"message": err.Error()}
		}
		return 200, made
	case strings.Contains(path, "/check-runs?"):
		run := object{"name": "build", "status": "completed", "conclusion": "success"}
		if of, err := os.ReadFile(filepath.Join(dir, "fails")); err == nil && (of[0] == '.' || strings.Contains(path, strings.TrimSpace(string(of)))) {
			run["conclusion"], run["id"] = "failure", 9
		}
		waiting := filepath.Join(dir, "pending")
		if left, err := os.ReadFile(waiting); err == nil { // a dot for each request
			run["status"], run["conclusion"] = "in_progress", nil
			if err = os.Remove(waiting); len(left) > 1 && err == nil {
				err = os.WriteFile(waiting, left[1:], 0o644)
			}
			if err != nil {
				return 500, object{"message": err.Error()}
			}
		}
		return 200, object{"check_runs": []any{run}}
	case strings.Contains(path, "/statuses?"):
		return 200, []any{}
	case strings.HasPrefix(path, "repos/o/r/issues?"):
		if text, err := os.ReadFile(filepath.Join(dir, "issue")); err == nil {
			return 200, []any{json.RawMessage(text)}
		}
		return 200, []any{}
	case path == "repos/o/r/issues" && method == "POST":
		made := object{"number": 7, "state": "open", "html_url": "https://github.com/o/r/issues/7"}
		err := json.NewDecoder(os.Stdin).Decode(&made)
		text, _ := json.Marshal(made)
		if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "issue"), text, 0o644)); err != nil {
			return 500, object{"message": err.Error()}
		}
		return 201, made
	case strings.Contains(path, "/check-runs/9/annotations?"):
		return 200, []any{object{"path": "src/answer.txt", "start_line": 1, "annotation_level": "failure", "message": "want 42, got 41"}}
	case path == "graphql":
		text, err := os.ReadFile(filepath.Join(dir, "threads"))
		if err != nil {
			return 403, object{"message": "Resource not accessible by personal access token"}
		}
		return 200, json.RawMessage(text)
	case strings.Contains(path, "/pulls/1/reviews?"), strings.Contains(path, "/pulls/1/comments?"):
		name := strings.TrimPrefix(strings.SplitN(path, "?", 2)[0], "repos/o/r/pulls/1/")
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return 200, []any{}
		}
		return 200, json.RawMessage(text)
	}
	return 404, object{"message": "Not Found: " + path}
}
