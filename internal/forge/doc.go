// Package forge opens and updates pull requests, issues and comments on GitHub, GitLab, Gitea and Forgejo, and reads the
// state of checks: through the person's own gh, glab or tea where it is logged in, else through the API with a token from the
// environment. Everything can be repeated: what is there is found and updated.
package forge
