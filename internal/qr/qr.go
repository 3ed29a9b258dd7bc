// Package qr draws the QR code of a link, for a page and for a terminal.
package qr

import (
	"fmt"
	"strings"

	qrcode "github.com/piglig/go-qr"
)

// quiet is the margin that readers need, in modules.
const quiet = 4

// Code is the QR code of a text.
type Code struct{ code *qrcode.QrCode }

// Of makes the code of a text of up to some 2,000 bytes. It survives the loss
// of 15 % of its modules, since it is read off a projector from the last row.
func Of(text string) (Code, error) {
	code, err := qrcode.EncodeText(text, qrcode.Medium)
	if err != nil {
		return Code{}, fmt.Errorf("making the QR code of %d bytes: %w", len(text), err)
	}
	return Code{code}, nil
}

// size is how many modules a side has with its margin.
func (c Code) size() int { return c.code.Size() + 2*quiet }

// dark says whether a module is; the margin is not.
func (c Code) dark(x, y int) bool {
	x, y = x-quiet, y-quiet
	return x >= 0 && y >= 0 && x < c.code.Size() && y < c.code.Size() && c.code.Module(x, y)
}

// SVG draws the code in black on white, whatever the theme around it, since
// many readers take it only like that. It has no size of its own.
func (c Code) SVG() []byte {
	var path strings.Builder
	for y := range c.size() {
		for x := 0; x < c.size(); x++ {
			run := 0
			for c.dark(x+run, y) {
				run++
			}
			if run > 0 {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", x, y, run, run)
			}
			x += run
		}
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges">`+
		`<path fill="#fff" d="M0 0h%dv%dH0z"/><path d="%s"/></svg>`, c.size(), c.size(), c.size(), c.size(), path.String())
}

// Terminal draws the code in lines of half blocks. In color it is black on white
// whatever the terminal's own colors are; without, light modules are drawn, as
// fits a dark terminal.
func (c Code) Terminal(color bool) string {
	var out strings.Builder
	for y := 0; y < c.size(); y += 2 {
		if color {
			out.WriteString("\x1b[38;5;231;48;5;16m")
		}
		for x := range c.size() {
			below := y+1 < c.size() && !c.dark(x, y+1)
			out.WriteRune(block(!c.dark(x, y), below))
		}
		if color {
			out.WriteString("\x1b[0m")
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// block is the character whose upper and lower halves are lit.
func block(upper, lower bool) rune {
	switch {
	case upper && lower:
		return '█'
	case upper:
		return '▀'
	case lower:
		return '▄'
	}
	return ' '
}
