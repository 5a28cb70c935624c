// Package review holds what a reviewer is asked and what he answers, review cycles as files, reviews of whole
// features, and the reasons for accepting rejected work.
package review
