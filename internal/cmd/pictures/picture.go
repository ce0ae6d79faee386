package main

import "github.com/awsmigrate/awsmigrate/internal/canvas"

// picture is one of the documentation.
type picture struct{ *canvas.Canvas }

func newPicture(width, height int, title, desc string) picture {
	return picture{canvas.New(width, height, title, desc)}
}
