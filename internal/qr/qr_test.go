package qr

import (
	"image"
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"testing"

	qrcode "github.com/piglig/go-qr"
)

const link = "http://192.168.178.23:7781/login?token=ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// picture paints modules, each of 4 by 4 pixels.
func picture(size int, dark func(x, y int) bool) image.Image {
	img := image.NewGray(image.Rect(0, 0, size*4, size*4))
	for y := range size * 4 {
		for x := range size * 4 {
			if !dark(x/4, y/4) {
				img.SetGray(x, y, color.Gray{Y: 255})
			}
		}
	}
	return img
}

func read(t *testing.T, what string, img image.Image) {
	t.Helper()
	got, err := qrcode.Decode(img)
	if err != nil || got != link {
		t.Errorf("%s is read as %q, %v; want %q", what, got, err, link)
	}
}

func TestTerminalIsReadAsTheLink(t *testing.T) {
	c, err := Of(link)
	if err != nil {
		t.Fatal(err)
	}
	escape := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, colored := range []bool{false, true} {
		lines := strings.Split(strings.TrimSuffix(escape.ReplaceAllString(c.Terminal(colored), ""), "\n"), "\n")
		read(t, "the terminal's code", picture(c.size(), func(x, y int) bool {
			r := []rune(lines[y/2])[x]
			if y%2 == 0 {
				return r != '█' && r != '▀'
			}
			return r != '█' && r != '▄'
		}))
	}
}

func TestSVGIsReadAsTheLink(t *testing.T) {
	c, err := Of(link)
	if err != nil {
		t.Fatal(err)
	}
	dark := map[[2]int]bool{}
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`).FindAllStringSubmatch(string(c.SVG()), -1) {
		x, _ := strconv.Atoi(m[1])
		y, _ := strconv.Atoi(m[2])
		run, _ := strconv.Atoi(m[3])
		for i := range run {
			dark[[2]int{x + i, y}] = true
		}
	}
	read(t, "the SVG", picture(c.size(), func(x, y int) bool { return dark[[2]int{x, y}] }))
}

func TestTextThatNoCodeHoldsIsAnError(t *testing.T) {
	if _, err := Of(strings.Repeat("x", 3000)); err == nil {
		t.Error("3,000 bytes have a code")
	}
}
