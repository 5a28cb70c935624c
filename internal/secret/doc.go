// Package secret finds secrets in text and masks them. It reads no files.
package secret
