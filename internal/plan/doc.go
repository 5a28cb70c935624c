// Package plan reads plans, in Markdown and JSX, by their bytes: sections, markers, which sections a person's
// words are about, and what its markers come to in the implementation. Writing a marker changes no other
// byte.
package plan
