package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/secret"
)

// The URI schemes of resources. belay's own pointers to review files have the form of cycle URIs.
const (
	taskScheme    = "task://"
	contextScheme = "context://"
	reviewScheme  = "reviews://"
	cycleScheme   = "review-cycle://"
	inJSON        = "application/json"
)

func (s *server) addResources(to *sdk.Server) {
	to.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: taskScheme + "{id}", Name: "task", Title: "A task", MIMEType: inJSON,
		Description: "A task with its attempts, findings, requirements and what it waits for, as belay show --json prints it."}, s.read)
	to.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: contextScheme + "{id}", Name: "context", Title: "A task's context",
		MIMEType: inJSON, Description: "What the roles of a task share, as belay context get --json prints it."}, s.read)
	to.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: reviewScheme + "{id}", Name: "reviews", Title: "A task's reviews",
		MIMEType: inJSON, Description: "The review cycles of a task, as belay review list --json prints them."}, s.read)
	to.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: cycleScheme + "{feature}/{task}/{name}", Name: "review-cycle",
		Title: "A review", MIMEType: "text/markdown", Description: "The file of one review cycle."}, s.read)
	to.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			r, err := next(ctx, method, req)
			if list, ok := r.(*sdk.ListResourcesResult); ok && err == nil {
				list.Resources = s.resources(ctx)
			}
			return r, err
		}
	})
}

// resources lists the resources that exist now; none outside a repository.
func (s *server) resources(ctx context.Context) []*sdk.Resource {
	list := []*sdk.Resource{}
	svc, err := s.Open(ctx)
	if err != nil {
		return list
	}
	lines, err := svc.Tasks()
	if err != nil {
		return list
	}
	for _, l := range lines {
		id, title := string(l.ID), secret.Mask(belay.VisibleLine(l.Title))
		list = append(list, &sdk.Resource{URI: taskScheme + id, Name: id, Title: title, Description: "task, " + l.Phase, MIMEType: inJSON})
		if st, err := app.ReadContextStatus(svc.Session, l.ID); err == nil && st.Exists {
			list = append(list, &sdk.Resource{URI: contextScheme + id, Name: id + " context", Title: title, MIMEType: inJSON})
		}
		reviews, err := app.ListReviews(svc, l.ID)
		if err != nil || len(reviews) == 0 {
			continue
		}
		list = append(list, &sdk.Resource{URI: reviewScheme + id, Name: id + " reviews", Title: title, MIMEType: inJSON})
		for _, v := range reviews {
			if v.Problem == "" {
				list = append(list, &sdk.Resource{URI: v.Pointer, Name: v.Path, Title: title, MIMEType: "text/markdown"})
			}
		}
	}
	return list
}

func (s *server) read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := req.Params.URI
	text, err := s.resource(ctx, uri)
	if err != nil {
		return nil, resourceError(uri, err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, Text: text}}}, nil
}

// resource returns the content of a URI with secrets masked.
func (s *server) resource(ctx context.Context, uri string) (string, error) {
	svc, err := s.Open(ctx)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(uri, cycleScheme) {
		_, text, err := app.ReadPointer(svc, uri)
		return secret.Mask(belay.Visible(text)), err
	}
	scheme, word, _ := strings.Cut(uri, "://")
	id, err := belay.ParseTaskID(word)
	if err != nil {
		return "", err
	}
	var data any
	switch scheme + "://" {
	case taskScheme:
		data, _, err = svc.Show(id)
	case contextScheme:
		var p *app.TaskContext
		if p, err = app.OpenPlace(ctx, svc.Session, app.ContextRequest{Task: id}); err == nil {
			data, err = p.View(ctx)
		}
	default:
		var all []app.Review
		all, err = app.ListReviews(svc, id)
		for i := range all {
			all[i].Body = ""
		}
		data = map[string]any{"reviews": all}
	}
	if err != nil {
		return "", err
	}
	text, err := encodeJSON(data)
	return string(text), err
}
