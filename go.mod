module crossswe

go 1.26
