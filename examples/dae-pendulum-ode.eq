# The pendulum in Cartesian coordinates after three differentiations of the constraint: an ODE that drifts.
# Königsmarková, report 2014V005, (14); data are chosen here.
param m = 1 [kg], l = 1 [m], g = 9.81 [m/s^2]

x''     = -2/m*lambda*x
y''     = -2/m*lambda*y + g
lambda' = (-4*lambda*x*x' - 4*lambda*y*y' + 3*m*g*y')/(2*l^2)

init x = l [m], x' = 0 [m/s], y = 0 [m], y' = 0 [m/s]
init lambda = 0 [N/m]                     # m*(x'^2 + y'^2 + g*y)/(2*l^2)
output drift = x^2 + y^2 - l^2 [m^2]
output E     = m*(x'^2 + y'^2)/2 - m*g*y [J]
run 0 .. 5
