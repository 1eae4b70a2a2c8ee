module omniexpect

go 1.26.0
