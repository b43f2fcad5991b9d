# A heater with dead time under PI control: the water needs Td from the heater to the sensor.
# With Td = 0.5 the loop settles, with --set Td=4 it swings more and more.
param K = 2 [K/W], tau = 5 [s], Td = 0.5 [s]      # the process
param Kp = 1 [W/K], Ti = 4 [s]                    # the controller
param ambient = 20 [K]
input r = ambient + 30*step(t - 1) [K]            # the set point

P = Kp*(e + I) [W]
I' = e/Ti
e = r - measured [K]
x' = (K*P - (x - ambient))/tau                    # the temperature at the heater
measured = pade(x, Td, 6)                         # and at the sensor

init I = 0 [K], x = 20 [K]
run 0 .. 60
