package prompt

import (
	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/loop"
)

// TaskFile is .belay/now/task.md: the task for agents that read files, in Markdown.
// It is fit for a terminal, so the person's words pass belay.Visible here.
func TaskFile(t belay.Task) string {
	t.Prose = Plain(t.Prose)
	return belay.Visible(sections(viewOf(PromptInput{Task: t}), "file", "request", "rules", "judged", "finish"))
}

// Feedback is .belay/now/feedback.md: what every attempt so far was rejected for, in
// Markdown. It says so when there is nothing yet.
func Feedback(s loop.State) string {
	return belay.Visible(sections(viewOf(PromptInput{State: s}), "feedback", "words", "attempts"))
}
