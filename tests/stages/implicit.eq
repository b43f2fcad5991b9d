# a fully implicit equation, and a loop without a formula
0 = x'^5 + x' - cos(t) + x
y = cos(z)
z = sin(y) + x
init x = 1
run 0 .. 1
