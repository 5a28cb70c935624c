// Package secret finds secrets in text and masks them.
package secret
