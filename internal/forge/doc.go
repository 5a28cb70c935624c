// Package forge opens and updates pull requests, issues and comments on GitHub, GitLab, Gitea and
// Forgejo, and reads the state of checks: with the user's gh, glab or tea if that is logged in,
// otherwise with the API and a token from the environment. Everything can be repeated: it finds and
// updates what exists.
package forge
