# The electric circuit of dae-circuit-15.eq with the hidden constraint made explicit: index 1.
# Königsmarková, report 2014V005, (16), example 4; v is chosen here.
param omega = 100
input v  = sin(omega*t)
input dv = omega*cos(omega*t)             # its derivative

e2' - e1 - j + dv  = 0
2*e2' + e2    + dv = 0
e1 + v             = 0

init e2 = 0
guess e1 = 0, j = 50
run 0 .. 0.2
