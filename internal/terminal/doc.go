// Package terminal prints results as text or JSON, makes an agent's output safe to show, and asks questions.
package terminal
