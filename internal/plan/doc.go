// Package plan reads plans in Markdown and JSX: sections, markers, which sections a request is about, and
// whether the implementation satisfies the markers. Writing a marker changes no other byte.
package plan
