// Package review builds the prompts for reviewers and parses their answers. It also keeps review
// cycles as files, reviews whole features, and checks the reasons for accepting rejected work. It
// never writes the task's record.
package review
