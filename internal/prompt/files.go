package prompt

import (
	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/loop"
)

// TaskFile returns the content of .belay/now/task.md: the task for agents that read files, in
// Markdown. It is safe to print on a terminal: the person's text passes belay.Visible here.
func TaskFile(t belay.Task) string {
	t.Prose = VisibleText(t.Prose)
	return belay.Visible(renderSections(newView(PromptInput{Task: t}), "file", "request", "rules", "judged", "finish"))
}

// Feedback returns the content of .belay/now/feedback.md in Markdown: the reasons for which each
// attempt so far was rejected, or that there are none yet.
func Feedback(s loop.State) string {
	return belay.Visible(renderSections(newView(PromptInput{State: s}), "feedback", "words", "attempts"))
}
