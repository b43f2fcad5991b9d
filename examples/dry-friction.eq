# A mass on a spring with dry friction: each half swing is shorter by 2*F/k, until it sticks (at t = 2.5 s).
# sign(x') is a switch, located at every reversal.
param m = 1 [kg], k = 100 [N/m], F = 6 [N]

m*x'' = -k*x - F*sign(x')

init x = 1 [m], x' = 0 [m/s]
output E = m*x'^2/2 + k*x^2/2 [J]
run 0 .. 2
