# An electric circuit, linear, of index 2: the current j contains the derivative of the voltage v.
# Königsmarková, report 2014V005, (15), example 4; v is chosen here.
param omega = 100
input v = sin(omega*t)

e2' -   e1' - e1 - j = 0
e1' - 2*e2' - e2     = 0
e1 + v               = 0

init e1 = 0, e2 = 0
guess j = 50
run 0 .. 0.2
