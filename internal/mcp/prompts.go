package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/secret"
)

// addPrompts adds the prompts that a person can call in the client, usually as slash commands.
func (s *server) addPrompts(to *sdk.Server) {
	to.AddPrompt(&sdk.Prompt{Name: "fix", Title: "Fix the last rejection",
		Description: "Has the agent fix what belay rejected last: findings, the code they are about, how to reproduce.",
		Arguments:   []*sdk.PromptArgument{{Name: "task", Description: "the task's ID; default: the latest task"}},
	}, func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		svc, err := s.Open(ctx)
		if err != nil {
			return nil, protocolError(err)
		}
		id, err := taskOrLatest(svc, req.Params.Arguments["task"])
		if err != nil {
			return nil, protocolError(err)
		}
		fix, err := app.FixPrompt(ctx, svc, id, 0)
		if err != nil {
			return nil, protocolError(err)
		}
		text := &sdk.TextContent{Text: secret.Mask(fix.Text)}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: text}}}, nil
	})
}
