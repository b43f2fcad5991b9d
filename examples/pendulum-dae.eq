# A pendulum in Cartesian coordinates, y pointing down: index 3, lambda is the multiplier of the constraint.
# Königsmarková, report 2014V005, (5), example 2; data are chosen here.
param m = 1 [kg], l = 1 [m], g = 9.81 [m/s^2]

m*x'' = -2*lambda*x
m*y'' = -2*lambda*y + m*g
x^2 + y^2 = l^2

init x = l [m], x' = 0 [m/s], y = 0 [m], y' = 0 [m/s]
guess lambda = 0 [N/m]
output E = m*(x'^2 + y'^2)/2 - m*g*y [J]  # stays 0
run 0 .. 5
